--[[ ask-robots: may the caller ask an origin for its robots.txt? One at a time in the whole fleet, under a lease that the same token renews.
  KEYS    1 host:{hostname}:robots hash
  ARGV    1 origin | 2 token | 3 leaseMs
  RETURNS {now, 'known', entry} | {now, 'ask', entry or ''}: the caller has the lease | {now, 'busy', entry}: another has it
  KEEPS   at most one token holds an origin's lease; what is known and fresh is never asked for again
  COST    O(1)        CLOCK  TIME ]]
--@include robots
local origin, token, leaseMs = ARGV[1], ARGV[2], tonumber(ARGV[3])
local entry = read_entry(origin)
if entry.expiresAt > now then return { now, 'known', cjson.encode(entry) } end
if entry.askedBy and entry.askedBy ~= token and entry.askedUntil > now then return { now, 'busy', cjson.encode(entry) } end
entry.askedBy, entry.askedUntil = token, now + leaseMs
write_entry(origin, entry, leaseMs)
return { now, 'ask', cjson.encode(entry) }
