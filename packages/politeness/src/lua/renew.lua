--[[ renew: tell what happened, keep some slots (0 = release), learn of blocks and of the line.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset | 4 :asked hash
  ARGV    1 shortWaitMs | 2 idleTtlMs | 3 grantMs | 4 first step of the back-off in ms | 5 1 = steps double, 0 = Fibonacci | 6 longest back-off in ms
        | 7 failures that open the circuit | 8 circuitMs | 9 holder | 10 slots to keep | 11 slots it would like, or 0 | 12 requests under way
        | 13 parallel | 14 ms since its last start, or -1 | 15 delayMs | 16 slotMarginMs | 17 responses | 18 their mean time, hundredths of ms
        | 19 ms between two steps down of its cap | 20 ms between two steps up
        | then for each outcome: epoch at the request's start, or -1 for a success | its Retry-After in ms, or 0 | reason
  RETURNS {now, run to wake or '', its stamp, wakeAt or 0, slots kept, granted until or 0, 1 if no request may start, runs in line, epoch,
          failures, failing since or 0}
  TELLS   the channel `blocked` the host name when a block begins
  KEEPS   a holder gets more slots only where a new one would, with nobody in line; a block never ends sooner than it would have; failures of
          one incident count once
  COST    O(holders + outcomes + log runs in line)        CLOCK  TIME ]]
--@include pace
local shortWaitMs, idleTtlMs, grantMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local firstMs, doubles, maxBackoffMs = tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6])
local circuitFailures, circuitMs = tonumber(ARGV[7]), tonumber(ARGV[8])
local holder, keep, want, underWay = ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local parallel, sinceLastStartMs, delay, slotMarginMs = tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15]), tonumber(ARGV[16])

-- 1, 1, 2, 3, 5, 8 ... or 1, 2, 4, 8 ... times the first step
local function ladder(failures)
  local wait, following = firstMs, doubles and 2 * firstMs or firstMs
  for _ = 2, failures do
    wait, following = following, doubles and 2 * following or wait + following
    if wait >= maxBackoffMs then break end
  end
  return wait
end

-- What the host asks for is what it gets. The cap is for that as well: a Retry-After of a year is no reason to forget a host for a year.
local function block_length(failures, retryAfterMs)
  local wait = math.min(maxBackoffMs, retryAfterMs > 0 and retryAfterMs or ladder(failures))
  if failures >= circuitFailures then return math.max(circuitMs, wait) end
  return wait
end

local host = open_host()
host.changed = true
local slot = host.slots[holder]
if slot then slot.delay = delay end

if sinceLastStartMs >= 0 then
  -- One more, as `now` is cut to whole milliseconds: else a delay could come out a fraction too short.
  local started = host.now - sinceLastStartMs + 1
  local longest = longest_delay(host, delay)
  host.lastStart = math.max(host.lastStart, started)
  if longest > 0 then host.next = math.max(host.next, started + longest) end
end

for i = 21, #ARGV, 3 do
  local epoch = tonumber(ARGV[i])
  if epoch < 0 then
    -- Never lifts a block: it may be the late answer to a request from before.
    host.failures = 0
    host.failingSince = 0
  else
    -- A request that began before the last counted failure or block belongs to the same incident: eight parallel requests
    -- into one outage are one failure.
    if epoch == host.epoch then
      host.failures = host.failures + 1
      host.epoch = host.epoch + 1
    end
    if host.failingSince == 0 then host.failingSince = host.now end
    if host.blockedUntil <= host.now then
      host.epoch = host.epoch + 1
      -- Other holders would hear of it at their next renew, up to half a grant later.
      redis.call('PUBLISH', string.match(KEYS[1], '^(.*)host:{') .. 'blocked', string.match(KEYS[1], 'host:{(.*)}:state$'))
    end
    -- At least the first step, also for a late failure after a success has set the count to 0.
    host.blockedUntil = math.max(host.blockedUntil, host.now + block_length(math.max(1, host.failures), tonumber(ARGV[i + 1])))
    host.reason = ARGV[i + 2]
  end
end

pace(host, tonumber(ARGV[17]), tonumber(ARGV[18]), parallel, tonumber(ARGV[19]), tonumber(ARGV[20]))

-- Until a success only a slot given out as a probe may start requests, not one left over from before the failure.
local isLeftOver = slot and host.failures > 0 and slot.epoch ~= host.epoch
local isBlocked = host.blockedUntil > host.now or isLeftOver
local kept, grantedUntil = 0, 0
if slot then
  kept = math.min(slot.n, keep)
  if kept > 0 then
    slot.n = kept
    if not isBlocked then
      grantedUntil = host.now + grantMs
      slot.untilTime = grantedUntil
      local free = room(host, parallel, delay)
      if want > kept and free > 0 and redis.call('ZCARD', KEYS[3]) == 0 then kept = math.min(want, kept + free) end
    end
    -- A host that has become slow gets fewer at a time: those under way end, and at least one may go on.
    local over = slots_in_use(host) - cap_of(host)
    if over > 0 then kept = math.min(kept, math.max(1, underWay, kept - over)) end
    -- Renewed also when blocked: requests under way still count.
    slot.n = kept
    slot.deadline = math.max(slot.deadline, host.now + grantMs + math.max(slotMarginMs, delay))
    write_slot(host, holder)
  else
    host.slots[holder] = nil
    redis.call('HDEL', KEYS[2], holder)
  end
end

local wake = owed(host, shortWaitMs)
write_host(host, idleTtlMs)
return { host.now, wake[1], wake[2], wake[3], kept, grantedUntil, isBlocked and 1 or 0, redis.call('ZCARD', KEYS[3]), host.epoch, host.failures,
  host.failingSince }
