--[[ why: what stands between a run and its end.
  ARGV    1 JSON { hosts: most hosts to name }
  RETURNS counts, and per host what waits there and who looks after it; or { over: 'no-run' }        COST  O(hosts) ]]
--@include sessions
local args = cjson.decode(ARGV[1])
if not exists then
  out.over = 'no-run'
  return reply()
end
out.status = M.status
out.discovering = M.discovery ~= 0
out.held = M.held == 1
out.leased = call('HLEN', K.inflight)
out.unprocessed = call('HLEN', K.page)
out.relinking = call('HLEN', K.relink)
out.deferred = call('ZCARD', K.deferred)
out.waiting, out.delayed = 0, 0

local leased = {}
local inflight = call('HVALS', K.inflight)
for _, entry in ipairs(inflight) do
  local host = string.match(entry, '^%d+ %S+ (.*)$')
  leased[host] = (leased[host] or 0) + 1
end
local states = { w = 'waiting', a = 'active', p = 'parked' }
for _, host in ipairs(call('SMEMBERS', K.hosts)) do
  local waiting, later = call('ZCARD', frontier(host)), call('ZCARD', delayed(host))
  out.waiting = out.waiting + waiting
  out.delayed = out.delayed + later
  local s = read_session(host)
  if (waiting > 0 or later > 0 or leased[host] or s) and #(out.hosts or {}) < args.hosts then
    owe('hosts', { host = host, waiting = waiting, delayed = later, leased = leased[host] or 0, session = s and states[s.state] or 'none' })
  end
end
return reply()
