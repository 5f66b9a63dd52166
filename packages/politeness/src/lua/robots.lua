-- Part of the scripts for robots.txt: a host's origins, each with what is known of its file.
--   KEYS[1] robots  hash  origin -> JSON { version, fetchedAt, expiresAt, failingSince, reason, askedBy, askedUntil }
-- The text itself is in a hash beside it, read only by those who do not know its version yet.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function read_entry(origin)
  local packed = redis.call('HGET', KEYS[1], origin)
  if not packed then return { expiresAt = 0 } end
  return cjson.decode(packed)
end

-- A host that nobody asks for any more is forgotten an hour after its last entry has.
local function write_entry(origin, entry, livesMs)
  redis.call('HSET', KEYS[1], origin, cjson.encode(entry))
  for _, key in ipairs(KEYS) do
    if redis.call('PTTL', key) < livesMs + 3600000 then redis.call('PEXPIRE', key, livesMs + 3600000) end
  end
end
