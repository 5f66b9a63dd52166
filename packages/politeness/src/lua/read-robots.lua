--[[ read-robots: what is known of the robots.txt of a host's origins.
  KEYS    1 host:{hostname}:robots hash
  ARGV    none
  RETURNS {now, origin, entry, origin, entry …}
  KEEPS   writes nothing
  COST    O(origins)        CLOCK  TIME ]]
local time = redis.call('TIME')
local known = redis.call('HGETALL', KEYS[1])
table.insert(known, 1, time[1] * 1000 + math.floor(time[2] / 1000))
return known
