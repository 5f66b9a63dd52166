--[[ describe: what is known of a host, for people.
  KEYS    1 host:{hostname}:state hash | 2 :slots hash | 3 :line zset
  ARGV    none
  RETURNS {now, slots in use, blocked until or 0, failures in a row, runs in line}
  KEEPS   writes nothing, not even time to live: looking at a host does not keep it alive
  COST    O(holders)        CLOCK  TIME ]]
--@include host
local host = read_host()
return { host.now, slots_in_use(host), host.blockedUntil, host.failures, redis.call('ZCARD', KEYS[3]) }
