--[[ begin: a fetch job asks whether its session is still its own.
  ARGV    1 JSON { host, sid, exec }: exec is fresh for each execution, so a redelivered job and its zombie never share a session
  RETURNS { ok, settings?, first?: { key, url } that will be claimed, ageMs of the run }; not ok: given up, closed, opened anew or taken by another execution; the job ends after a peek at the gate
  COST    O(1) ]]
--@include sessions
local args = cjson.decode(ARGV[1])
local s = read_session(args.host)
out.ok = false
if alive and s and s.sid == args.sid and (s.state == 'w' or holds(s, args.sid, args.exec)) then
  write_session(args.host, { sid = s.sid, deadline = now + M.leaseMs, state = 'a', rejobs = 0, exec = args.exec })
  out.ok = true
  out.settings = call('GET', K.settings)
  out.ageMs = now - tonumber(call('HGET', K.meta, 'startedAt'))
  local first = call('ZRANGE', frontier(args.host), 0, 0)[1] or call('ZRANGEBYSCORE', delayed(args.host), '-inf', text(now), 'LIMIT', 0, 1)[1]
  if first then out.first = { key = first, url = read_task(first).url } end
end
return reply()
