--[[ describe: what is known of a host, for people.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset
  ARGV    none
  RETURNS {now, slots in use, blocked until or 0, failures in a row, runs in line, failing since or 0, delay in force, requests at a time
          that its response times allow or 0 = any, reason of the last failure or ''}
  KEEPS   writes nothing, not even time to live: looking at a host does not keep it alive
  COST    O(holders)        CLOCK  TIME ]]
--@include host
local host = read_host()
return { host.now, slots_in_use(host), host.blockedUntil, host.failures, redis.call('ZCARD', KEYS[3]), host.failingSince,
  longest_delay(host, 0), math.floor(host.cap / 100), host.reason }
