--[[ close: the last step of a session, after its slots went back: takes it away and looks at the frontier once more.
  ARGV    1 JSON { host, sid, exec }
  RETURNS { fetch[], laterMs? }: laterMs = until the earliest retry, also while paused: the caller owes a delayed wake
  COST    O(log n) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
if holds(read_session(args.host), args.sid, args.exec) then call('HDEL', K.sess, args.host) end
if not open_if_work(args.host) then
  local first = call('ZRANGE', delayed(args.host), 0, 0, 'WITHSCORES')
  if first[2] then out.laterMs = math.max(1, tonumber(first[2]) - now) end
end
return tail()
