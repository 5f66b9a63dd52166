--[[ peek: whom to wake, when nothing else is to be said.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset | 4 :asked hash
  ARGV    1 shortWaitMs | 2 idleTtlMs
  RETURNS {now, run to wake or '', its stamp, wakeAt or 0}
  KEEPS   changes nothing but dropping slots past their deadline
  COST    O(holders + log runs in line)        CLOCK  TIME ]]
--@include line
local shortWaitMs, idleTtlMs = tonumber(ARGV[1]), tonumber(ARGV[2])

local host = open_host()
local wake = owed(host, shortWaitMs)
write_host(host, idleTtlMs)
return { host.now, wake[1], wake[2], wake[3] }
