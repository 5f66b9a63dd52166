--[[ task: what is known of an admitted URL, kept for the life of the run: it is the membership test.
  One packed string per URL, since 200,000 of them wait: "depth attempts lost boosted template parent requestUrl".
  requestUrl is packed against the key (url package); parent is an index into `parents`, '-' for a start page. ]]
--@include run
local function parse_task(packed)
  if not packed then return nil end
  local depth, attempts, lost, boosted, template, parent, url = string.match(packed, '^(%d+) (%d+) (%d+) (%d) (%S+) (%S+) (.*)$')
  return { depth = tonumber(depth), attempts = tonumber(attempts), lost = tonumber(lost), boosted = boosted, template = template,
    parent = parent, url = url }
end

local function read_task(key) return parse_task(call('HGET', K.task, key)) end

local function write_task(key, t)
  call('HSET', K.task, key, t.depth .. ' ' .. t.attempts .. ' ' .. t.lost .. ' ' .. t.boosted .. ' ' .. t.template .. ' ' .. t.parent .. ' ' .. t.url)
end

-- Boosted paths come before all others, whatever their depth; within each, the shallow before the deep.
local function score(t) return t.boosted == '1' and t.depth - 10000000 or t.depth end

local function to_frontier(key, t)
  local host = host_of(key)
  call('SADD', K.hosts, host)
  call('ZADD', frontier(host), score(t), key)
  return host
end

-- The end of a URL that was not processed: its state and why.
local function finish_url(key, from, to, failure)
  call('SREM', from, key)
  call('SADD', to, key)
  if failure then call('HSET', K.errors, key, failure) end
end

local function failure_of(code, message, attempts)
  return cjson.encode({ error = { code = code, message = message, retryable = true, attempts = attempts }, at = now })
end

-- A worker died with the URL in its hands. True if it may be tried again; a URL that keeps killing workers is not.
local function lose(key, t)
  t.lost = t.lost + 1
  write_task(key, t)
  return t.lost <= M.maxLost
end
local LOST = 'The worker that held this URL disappeared every time it was tried.'
