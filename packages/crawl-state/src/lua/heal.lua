--[[ heal: put right what a death left behind: every lease that ran out. Called by every coordinator, every two seconds.
  ARGV    1 JSON { ttlMs }: time to live of the run's keys, renewed each minute
  RETURNS { healed, renders? (something waits for a browser, or is with one), fetch[], process[], relink[], discover?, finalize? }        COST  O(hosts + leases) ]]
--@include tail
local args = cjson.decode(ARGV[1])
out.healed = 0
if not exists then return over() end
local function healed() out.healed = out.healed + 1 end

local renewed = tonumber(call('HGET', K.meta, 'ttlAt') or 0)
if now - renewed > 60000 and (alive or M.status == 'finalizing') then
  for _, key in ipairs(KEYS) do call('PEXPIRE', key, args.ttlMs) end
  for _, host in ipairs(call('SMEMBERS', K.hosts)) do
    call('PEXPIRE', frontier(host), args.ttlMs)
    call('PEXPIRE', delayed(host), args.ttlMs)
  end
  set('ttlAt', now)
end

if M.status == 'finalizing' and M.finalLease <= now then
  set('finalLease', now + M.leaseMs)
  out.finalize = true
  healed()
end
if not alive then return reply() end

local function pairs_of(key)
  local flat, list = call('HGETALL', key), {}
  for i = 1, #flat, 2 do list[#list + 1] = { flat[i], flat[i + 1] } end
  return list
end

-- A job that waits long is not lost: the same session is offered again, ever more patiently, and the first job to begin has it.
local function patience(rejobs) return math.min(M.leaseMs * 2 ^ rejobs, math.max(60000, M.leaseMs)) end

for _, entry in ipairs(pairs_of(K.sess)) do
  local host, s = entry[1], read_session(entry[1])
  if string.sub(host, -#RENDER) == RENDER then out.renders = true end
  if s.deadline <= now then
    healed()
    if s.state == 'w' and M.status == 'running' then
      s.rejobs = s.rejobs + 1
      s.deadline = now + patience(s.rejobs)
      write_session(host, s)
      owe('fetch', { host = host, sid = s.sid })
    else
      call('HDEL', K.sess, host)
    end
  end
end

-- A claimed URL's lease is its session's.
for _, entry in ipairs(pairs_of(K.inflight)) do
  local key, exec, host = entry[1], string.match(entry[2], '^%d+ (%S+) (.*)$')
  local s = read_session(host)
  if not (s and s.exec == exec) then
    call('HDEL', K.inflight, key)
    healed()
    local t = read_task(key)
    if lose(key, t) then to_frontier(key, t) else finish_url(key, K.queued, K.failed, failure_of('LOST', LOST, t.attempts + 1)) end
  end
end

for _, entry in ipairs(pairs_of(K.page)) do
  local key, p = entry[1], read_page(entry[1])
  if p.deadline <= now then
    healed()
    local t = read_task(key)
    if p.state == 'a' and not lose(key, t) then
      call('HDEL', K.page, key)
      finish_url(key, K.fetched, K.failed, failure_of('LOST', LOST, t.attempts + 1))
    else
      if p.state == 'a' then p.token, p.rejobs = text(sequence()), 0 else p.rejobs = p.rejobs + 1 end
      p.state, p.exec, p.deadline = 'w', '-', now + patience(p.rejobs)
      write_page(key, p)
      owe('process', { key = key, token = p.token, body = p.body })
    end
  end
end

for _, entry in ipairs(pairs_of(K.relink)) do
  if tonumber(string.match(entry[2], ' (%d+)$')) <= now then
    healed()
    to_relink(entry[1], read_task(entry[1]).depth)
  end
end

if M.discovery ~= 0 and M.discovery <= now then
  set('discovery', now + M.leaseMs)
  out.discover = true
  healed()
end

open_all()
return tail()
