--[[ open: a wake-up from the gate, or for a retry whose time has come.
  ARGV    1 JSON { host }
  RETURNS { fetch[], idle }: idle = nothing opened; the caller takes the run out of the gate's line        COST  O(log n) ]]
--@include tail
local args = cjson.decode(ARGV[1])
out.idle = true
if M.status ~= 'running' then return reply() end
drop_parked(args.host)
out.idle = not open_if_work(args.host)
return tail()
