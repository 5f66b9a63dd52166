-- Part of the gate's scripts: reads what is kept about a host, writes it back. A host's four keys, the same in every script:
--   KEYS[1] state  hash  next, lastStart, blockedUntil, failingSince (times); failures (in a row); epoch (of failures); stamp (of
--                        refusals); reason (of the last failure); usual, recent (response times, hundredths of ms); cap (requests
--                        at a time that its response times allow, in hundredths; 0 = any); adaptedAt (time)
--   KEYS[2] slots  hash  holder -> "slots until deadline delayMs epoch": may start requests until `until`, is counted until `deadline`
--   KEYS[3] line   zset  run -> stamp of its first refusal, which is its place
--   KEYS[4] asked  hash  run -> "stamp parallel delayMs" of its last refusal
-- A slot is a lease and never a count: a holder that dies gives nothing back.

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function numbers(text)
  local list = {}
  for part in string.gmatch(text, '%S+') do list[#list + 1] = tonumber(part) end
  return list
end

local function read_host()
  local kept = redis.call('HMGET', KEYS[1], 'next', 'lastStart', 'blockedUntil', 'failures', 'epoch', 'stamp', 'failingSince', 'reason',
    'usual', 'recent', 'cap', 'adaptedAt')
  local host = {
    now = clock(), slots = {}, expired = {},
    next = tonumber(kept[1] or 0), lastStart = tonumber(kept[2] or 0), blockedUntil = tonumber(kept[3] or 0),
    failures = tonumber(kept[4] or 0), epoch = tonumber(kept[5] or 0), stamp = tonumber(kept[6] or 0),
    failingSince = tonumber(kept[7] or 0), reason = kept[8] or '', usual = tonumber(kept[9] or 0), recent = tonumber(kept[10] or 0),
    cap = tonumber(kept[11] or 0), adaptedAt = tonumber(kept[12] or 0),
  }
  local held = redis.call('HGETALL', KEYS[2])
  for i = 1, #held, 2 do
    local field = numbers(held[i + 1])
    if field[3] > host.now then
      host.slots[held[i]] = { n = field[1], untilTime = field[2], deadline = field[3], delay = field[4], epoch = field[5] }
    else
      host.expired[#host.expired + 1] = held[i]
      -- Nobody reported its last start. Its grant is the latest it can have been.
      host.lastStart = math.max(host.lastStart, field[2])
    end
  end
  return host
end

-- For scripts that write. Expired slots go first: the same holder may be given new ones in this very call.
local function open_host()
  local host = read_host()
  if #host.expired > 0 then
    redis.call('HDEL', KEYS[2], unpack(host.expired))
    host.changed = true
  end
  return host
end

local function slots_in_use(host)
  local used = 0
  for _, slot in pairs(host.slots) do used = used + slot.n end
  return used
end

-- The delay of the host is the longest that anybody asks who may start requests.
local function longest_delay(host, delay)
  for _, slot in pairs(host.slots) do delay = math.max(delay, slot.delay) end
  return delay
end

-- When a run that asks for `delay` may start its next request, blocks aside. `next` alone is not enough: the last start
-- may have been of a run that asked for no delay, or a shorter one.
local function next_start(host, delay)
  if delay == 0 then return host.next end
  return math.max(host.next, host.lastStart + delay)
end

-- Requests at a time that the host's response times allow.
local function cap_of(host) return host.cap == 0 and math.huge or math.floor(host.cap / 100) end

-- Slots a run with these limits may still have. With a delay requests go one after the other; so do probes after a failure, until
-- one of them succeeds: eight parallel requests into an outage would use up an attempt of eight URLs.
local function room(host, parallel, delay)
  if host.failures > 0 or longest_delay(host, delay) > 0 then parallel = 1 end
  return math.min(parallel, cap_of(host)) - slots_in_use(host)
end

local function write_slot(host, holder)
  local slot = host.slots[holder]
  redis.call('HSET', KEYS[2], holder, string.format('%d %d %d %d %d', slot.n, slot.untilTime, slot.deadline, slot.delay, slot.epoch))
end

-- Every call renews all four keys, so a line lives as long as anybody on this host is alive; a forgotten host goes as a whole,
-- and not before its blocks, its delay and its slots are over.
local function write_host(host, idleTtlMs)
  if host.changed then
    redis.call('HSET', KEYS[1], 'next', host.next, 'lastStart', host.lastStart, 'blockedUntil', host.blockedUntil,
      'failures', host.failures, 'epoch', host.epoch, 'stamp', host.stamp, 'failingSince', host.failingSince, 'reason', host.reason,
      'usual', host.usual, 'recent', host.recent, 'cap', host.cap, 'adaptedAt', host.adaptedAt)
  end
  local last = math.max(host.now, host.next, host.blockedUntil)
  for _, slot in pairs(host.slots) do last = math.max(last, slot.deadline) end
  for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], last - host.now + idleTtlMs) end
end
