--[[ reserve: slots for a holder on behalf of a run, or a place in the line.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset | 4 :asked hash
  ARGV    1 shortWaitMs | 2 idleTtlMs | 3 grantMs | 4 run | 5 holder | 6 slots wanted | 7 parallel | 8 delayMs | 9 slotMarginMs
  RETURNS {now, run to wake or '', its stamp, wakeAt or 0, slots, startAt, granted until, epoch, failures, 0, failing since or 0} granted
        | {now, run to wake or '', its stamp, wakeAt or 0, 0, 0, 0, epoch, failures, refused until or 0, failing since or 0} refused: 0 = until a slot is free
  KEEPS   slots in use <= the asker's limit whenever some are granted; a holder's repeat gets what it has; a granted run is in no line
  COST    O(holders + log runs in line)        CLOCK  TIME ]]
--@include line
local shortWaitMs, idleTtlMs, grantMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local run, holder, want = ARGV[4], ARGV[5], tonumber(ARGV[6])
local parallel, delay, slotMarginMs = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local host = open_host()
local startAt = math.max(host.now, next_start(host, delay), host.blockedUntil)
local slot = host.slots[holder]
local refusedUntil = 0

if not slot then
  local first = first_in_line()
  local isTurn = not first or first.run == run or not is_kept_waiting(host, first, shortWaitMs)
  local isFar = host.blockedUntil > host.now or startAt > host.now + shortWaitMs
  local n = math.min(want, room(host, parallel, delay))
  if isTurn and not isFar and n > 0 then
    local untilTime = host.now + grantMs
    -- Whatever a dead holder started is over, and its delay kept, before its slots are free.
    slot = { n = n, untilTime = untilTime, deadline = untilTime + math.max(slotMarginMs, delay), delay = delay, epoch = host.epoch }
    host.slots[holder] = slot
    write_slot(host, holder)
    leave_line(run)
  else
    stand_in_line(host, run, parallel, delay)
    if isFar then refusedUntil = startAt end
  end
end

local wake = owed(host, shortWaitMs)
write_host(host, idleTtlMs)
if slot then return { host.now, wake[1], wake[2], wake[3], slot.n, startAt, slot.untilTime, host.epoch, host.failures, 0, host.failingSince } end
-- Behind a run that waits for a time, nothing comes before that time.
return { host.now, wake[1], wake[2], wake[3], 0, 0, 0, host.epoch, host.failures, math.max(refusedUntil, wake[3]), host.failingSince }
