--[[ renew: tell what happened, keep some slots (0 = release), learn of blocks and of the line.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset | 4 :asked hash
  ARGV    1 shortWaitMs | 2 circuitFailures | 3 idleTtlMs | 4 grantMs | 5 circuitMs | 6 backoffMs | 7 maxBackoffMs
        | 8 holder | 9 slots to keep | 10 ms since its last start, or -1 | 11 delayMs | 12 slotMarginMs
        | then for each outcome: epoch at the request's start, or -1 for a success | its Retry-After in ms, or 0
  RETURNS {now, run to wake or '', its stamp, wakeAt or 0, slots kept, granted until or 0, 1 if no request may start, runs in line, epoch, failures}
  KEEPS   a holder never has more slots than before; a block never ends sooner than it would have; failures of one incident count once
  COST    O(holders + outcomes + log runs in line)        CLOCK  TIME ]]
--@include line
local shortWaitMs, circuitFailures, idleTtlMs, grantMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local circuitMs, backoffMs, maxBackoffMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local holder, keep, sinceLastStartMs = ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10])
local delay, slotMarginMs = tonumber(ARGV[11]), tonumber(ARGV[12])

-- 1, 1, 2, 3, 5, 8 ... times backoffMs
local function ladder(failures)
  local wait, following = backoffMs, backoffMs
  for _ = 2, failures do
    wait, following = following, wait + following
    if wait >= maxBackoffMs then break end
  end
  return wait
end

-- The cap is for what a host may ask for as well: a Retry-After of a year is no reason to forget it for a year.
local function block_length(failures, retryAfterMs)
  local wait = math.min(maxBackoffMs, math.max(retryAfterMs, ladder(failures)))
  if failures >= circuitFailures then return math.max(circuitMs, wait) end
  return wait
end

local host = open_host()
host.changed = true
local slot = host.slots[holder]
if slot then slot.delay = delay end

if sinceLastStartMs >= 0 then
  -- One more, as `now` is cut to whole milliseconds: else a delay could come out a fraction too short.
  local started = host.now - sinceLastStartMs + 1
  local longest = longest_delay(host, delay)
  host.lastStart = math.max(host.lastStart, started)
  if longest > 0 then host.next = math.max(host.next, started + longest) end
end

for i = 13, #ARGV, 2 do
  local epoch = tonumber(ARGV[i])
  if epoch < 0 then
    -- Never lifts a block: it may be the late answer to a request from before.
    host.failures = 0
  else
    -- A request that began before the last counted failure or block belongs to the same incident: eight parallel requests
    -- into one outage are one failure.
    if epoch == host.epoch then
      host.failures = host.failures + 1
      host.epoch = host.epoch + 1
    end
    if host.blockedUntil <= host.now then host.epoch = host.epoch + 1 end
    -- At least the first step, also for a late failure after a success has set the count to 0.
    host.blockedUntil = math.max(host.blockedUntil, host.now + block_length(math.max(1, host.failures), tonumber(ARGV[i + 1])))
  end
end

-- While the circuit is half open only the slot given out as its probe may start requests, not one left over from before.
local isLeftOver = slot and host.failures >= circuitFailures and slot.epoch ~= host.epoch
local isBlocked = host.blockedUntil > host.now or isLeftOver
local kept, grantedUntil = 0, 0
if slot then
  kept = math.min(slot.n, keep)
  if kept > 0 then
    if not isBlocked then
      grantedUntil = host.now + grantMs
      slot.untilTime = grantedUntil
    end
    -- Renewed also when blocked: requests under way still count.
    slot.n = kept
    slot.deadline = math.max(slot.deadline, host.now + grantMs + math.max(slotMarginMs, delay))
    write_slot(host, holder)
  else
    host.slots[holder] = nil
    redis.call('HDEL', KEYS[2], holder)
  end
end

local wake = owed(host, shortWaitMs, circuitFailures)
write_host(host, idleTtlMs)
return { host.now, wake[1], wake[2], wake[3], kept, grantedUntil, isBlocked and 1 or 0, redis.call('ZCARD', KEYS[3]), host.epoch, host.failures }
