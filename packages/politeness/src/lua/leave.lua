--[[ leave: a woken run had nothing to do; out of the line, and on with the next.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset | 4 :asked hash
  ARGV    1 shortWaitMs | 2 idleTtlMs | 3 run | 4 stamp it was woken with
  RETURNS {now, run to wake or '', its stamp, wakeAt or 0}
  KEEPS   a run that was refused again since it was woken keeps its place
  COST    O(holders + log runs in line)        CLOCK  TIME ]]
--@include line
local shortWaitMs, idleTtlMs = tonumber(ARGV[1]), tonumber(ARGV[2])
local run, stamp = ARGV[3], tonumber(ARGV[4])

local host = open_host()
local asked = redis.call('HGET', KEYS[4], run)
if asked and numbers(asked)[1] == stamp then leave_line(run) end
local wake = owed(host, shortWaitMs)
write_host(host, idleTtlMs)
return { host.now, wake[1], wake[2], wake[3] }
