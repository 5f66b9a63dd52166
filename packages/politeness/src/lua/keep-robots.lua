--[[ keep-robots: what became of asking an origin for its robots.txt.
  KEYS    1 host:{hostname}:robots hash | 2 :robots-text hash
  ARGV    1 origin | 2 token | 3 found, failed or dropped | 4 version (found) or reason (failed) | 5 text | 6 maxAgeMs
  RETURNS {now, 1 if the caller still had the lease else 0, entry}
  KEEPS   only the holder of the lease writes; a failure forgets no text, only a success ends the failing
  COST    O(1)        CLOCK  TIME ]]
--@include robots
local origin, token, outcome, maxAgeMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[6])
local entry = read_entry(origin)
if entry.askedBy ~= token then return { now, 0, cjson.encode(entry) } end
entry.askedBy, entry.askedUntil = nil, nil
if outcome == 'found' then
  entry = { version = ARGV[4], fetchedAt = now, expiresAt = now + maxAgeMs }
  redis.call('HSET', KEYS[2], origin, ARGV[5])
elseif outcome == 'failed' then
  entry.failingSince, entry.reason = entry.failingSince or now, ARGV[4]
end
write_entry(origin, entry, maxAgeMs)
return { now, 1, cjson.encode(entry) }
