--[[ dump: test-only: every key of a run in one reply.
  KEYS    the 25 keys of keys.ts        RETURNS { keys: contents in that order (flat lists), frontier: [host, flat list], delayed: the same }
  COST    O(everything) ]]
local call = redis.call
local read = {
  none = function() return {} end,
  string = function() return {} end,
  set = function(key) return call('SMEMBERS', key) end,
  hash = function(key) return call('HGETALL', key) end,
  zset = function(key) return call('ZRANGE', key, 0, -1) end,
}
local out = { keys = {}, frontier = {}, delayed = {} }
for i, key in ipairs(KEYS) do out.keys[i] = read[call('TYPE', key).ok](key) end
local prefix = string.sub(KEYS[1], 1, -5)
for _, host in ipairs(call('SMEMBERS', prefix .. 'hosts')) do
  for _, kind in ipairs({ 'frontier', 'delayed' }) do
    table.insert(out[kind], { host, call('ZRANGE', prefix .. kind .. ':' .. host, 0, -1, 'WITHSCORES') })
  end
end
return cjson.encode(out)
