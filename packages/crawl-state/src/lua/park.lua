--[[ park: a session that the host's gate refused waits there; whoever opens the host again takes the entry away.
  ARGV    1 JSON { host, sid, exec, forMs }
  RETURNS { lost? } or { over }; afterwards the caller asks the gate once more        COST  O(1) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
if not holds(read_session(args.host), args.sid, args.exec) then
  out.lost = true
else
  write_session(args.host, { sid = args.sid, deadline = now + args.forMs + M.parkMs, state = 'p', rejobs = 0, exec = args.exec })
end
return tail()
