--[[ run: what every script of a run shares: its keys by name, the time, its meta, and what the caller will owe.
  KEYS    the 25 keys of keys.ts, always all of them and in that order; `frontier:<host>`, `delayed:<host>` and `body:<n>` are
          derived from the same prefix, so they carry the same hash tag and live in the same cluster slot
  CLOCK   TIME of this Redis, in milliseconds; what leaves a script for a worker is a duration ]]
local K = {
  meta = KEYS[1], queued = KEYS[2], fetched = KEYS[3], processed = KEYS[4], failed = KEYS[5], skipped = KEYS[6],
  task = KEYS[7], inflight = KEYS[8], page = KEYS[9], relink = KEYS[10], sess = KEYS[11], alias = KEYS[12], hops = KEYS[13],
  errors = KEYS[14], beyond = KEYS[15], beyondMany = KEYS[16], dropped = KEYS[17], hosts = KEYS[18], templates = KEYS[19],
  deferred = KEYS[20], prints = KEYS[21], parents = KEYS[22], refused = KEYS[23], settings = KEYS[24], render = KEYS[25],
}
local PREFIX = string.sub(K.meta, 1, -5)
local call = redis.call

local clock = call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function text(n) return string.format('%.0f', n) end

local M = {}
do
  local names = { 'status', 'final', 'maxPages', 'maxUrls', 'maxDepth', 'maxRetries', 'maxLost', 'templateQuota', 'endlessQuota', 'high', 'low',
    'leaseMs', 'parkMs', 'held', 'discovery', 'finalLease', 'rendersAll' }
  local values = call('HMGET', K.meta, unpack(names))
  for i, name in ipairs(names) do M[name] = tonumber(values[i]) or values[i] or nil end
end
local exists = M.status ~= nil
local alive = M.status == 'running' or M.status == 'paused'

local out = { now = now }
local function owe(kind, what)
  local list = out[kind]
  if not list then list = {}; out[kind] = list end
  list[#list + 1] = what
end

local function set(name, value) M[name] = value; call('HSET', K.meta, name, type(value) == 'number' and text(value) or value) end
local function sequence() return call('HINCRBY', K.meta, 'seq', 1) end

-- A host has a frontier for each kind of worker, its lanes: `example.com` for fetch workers, `example.com#render` for those with a browser.
-- Sessions are of a lane; what is said of a host in these scripts goes for a lane.
local RENDER = '#render'
local function frontier(host) return PREFIX .. 'frontier:' .. host end
local function delayed(host) return PREFIX .. 'delayed:' .. host end

-- The host a key is waiting under: as `hostKey` of the url package has it.
local function host_of(key)
  local host = string.match(key, '^https://(%[[^%]]*%])') or string.match(key, '^https://([^/:?]+)') or ''
  if string.find(host, '[^.]%.$') then host = string.sub(host, 1, -2) end
  while string.find(host, '^www%.[^.].-%.') do host = string.sub(host, 5) end
  return host
end

local function reply() return cjson.encode(out) end
