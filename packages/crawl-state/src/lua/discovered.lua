--[[ discovered: the start pages are in. A flag, so that a redelivered job changes nothing.
  ARGV    1 JSON { done: boolean }: false only renews the discovery's lease
  RETURNS { finalize? } owed, or { over }        COST  O(1) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
if args.done then set('discovery', 0) elseif M.discovery ~= 0 then set('discovery', now + M.leaseMs) end
return tail()
