--@include host
-- Part of the gate's scripts: the runs that wait for a host, and whom the caller owes a wake-up.
--
-- Only the first is woken, and while the limit or the delay of the first keeps it waiting, nobody else takes a slot. Else a run
-- that must have the host to itself would wait for ever beside two wider ones that take turns. Once it can be served, any run that
-- asks may be: holding the others back then as well was tried with 200 runs and cost ten times the calls, as each that was
-- refused woke a first that was awake already. Nobody sleeps for ever:
--   the first can't have a slot by its limit -> others hold slots; holders are told that somebody waits and release at the end of
--                                               their slice (or expire), nobody else gets in meanwhile, and each release looks here
--   the first can be served                  -> every reply names it until it has taken its slot or left, so a lost wake-up is
--                                               made good by the next caller; one that is overtaken keeps its place
--   the first waits for a time               -> every reply tells that time, and the delayed wake job looks here
-- Places do not expire: a block may be prolonged past any time given to them. A run without work leaves when it is woken.

local function first_in_line()
  local run = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if not run then return nil end
  local asked = numbers(redis.call('HGET', KEYS[4], run))
  return { run = run, stamp = asked[1], parallel = asked[2], delay = asked[3] }
end

-- A place is kept; the stamp is new at each refusal, so that a `leave` for an earlier one comes too late.
local function stand_in_line(host, run, parallel, delay)
  host.stamp = host.stamp + 1
  host.changed = true
  redis.call('ZADD', KEYS[3], 'NX', host.stamp, run)
  redis.call('HSET', KEYS[4], run, string.format('%d %d %d', host.stamp, parallel, delay))
end

local function leave_line(run)
  redis.call('ZREM', KEYS[3], run)
  redis.call('HDEL', KEYS[4], run)
end

-- Whether a run in line waits for the others to release, or for its delay since their last start.
local function is_kept_waiting(host, waiting, shortWaitMs)
  return room(host, waiting.parallel, waiting.delay) <= 0
    or next_start(host, waiting.delay) > host.now + shortWaitMs
end

-- The wake-ups the caller owes: { run or '', its stamp, time of the delayed wake or 0 }. One of the two at most: a run is woken
-- only when its time has come, or two refused runs wake each other until then.
local function owed(host, shortWaitMs)
  local first = first_in_line()
  if not first then return { '', 0, 0 } end
  local at = host.blockedUntil
  local start = next_start(host, first.delay)
  if start > host.now + shortWaitMs then at = math.max(at, start) end
  if at > host.now then return { '', 0, at } end
  if is_kept_waiting(host, first, shortWaitMs) then return { '', 0, 0 } end
  return { first.run, first.stamp, 0 }
end
