--[[ task: what is known of an admitted URL, kept for the life of the run: it is the membership test.
  One packed string per URL, since 200,000 of them wait: "depth attempts lost rank template parent requestUrl";
  an r behind the rank: it is to be rendered.
  requestUrl is packed against the key (url package); parent is an index into `parents`, '-' for a start page. ]]
--@include run
local function parse_task(packed)
  if not packed then return nil end
  local depth, attempts, lost, rank, renders, template, parent, url = string.match(packed, '^(%d+) (%d+) (%d+) (%d)(r?) (%S+) (%S+) (.*)$')
  return { depth = tonumber(depth), attempts = tonumber(attempts), lost = tonumber(lost), rank = rank, renders = renders ~= '',
    template = template, parent = parent, url = url }
end

local function read_task(key) return parse_task(call('HGET', K.task, key)) end

local function write_task(key, t)
  call('HSET', K.task, key, t.depth .. ' ' .. t.attempts .. ' ' .. t.lost .. ' ' .. t.rank .. (t.renders and 'r ' or ' ') .. t.template .. ' ' .. t.parent .. ' ' .. t.url)
end

-- What a URL's rank adds to its depth; the smallest sum is claimed first. By its looks: 1 boosted, before all others; 2 documentation, before
-- its equals; 0 ordinary; 3 a listing, after ordinary pages two levels deeper. By what is known of it: 4 stale, after all that is new; 5 fresh.
local RANKS = { ['0'] = 0, ['1'] = -10000000, ['2'] = -0.5, ['3'] = 2.5, ['4'] = 1000000, ['5'] = 2000000 }
local function score(t) return t.depth + RANKS[t.rank] end

local function lane_of(key, t) return (t.renders or M.rendersAll == 1) and host_of(key) .. RENDER or host_of(key) end

local function to_frontier(key, t)
  local host = lane_of(key, t)
  call('SADD', K.hosts, host)
  call('ZADD', frontier(host), score(t), key)
  return host
end

-- The end of a URL that was not processed: its state and why.
local function finish_url(key, from, to, failure)
  call('SREM', from, key)
  call('SADD', to, key)
  if failure then
    call('HSET', K.errors, key, failure)
    call('HSET', K.meta, 'updatedAt', text(now))
  end
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

-- What pages of each template came to: "shells gains idles statics". Of a site with a thousand templates the first few hundred tell enough.
local RENDER_WORDS = { shell = 1, gain = 2, idle = 3, static = 4 }
local function remember_render(template, word)
  local packed = call('HGET', K.render, template)
  if not packed and call('HLEN', K.render) >= 500 then return end
  local counts, i = {}, 0
  for n in string.gmatch(packed or '0 0 0 0', '%d+') do
    i = i + 1
    counts[i] = tonumber(n) + (RENDER_WORDS[word] == i and 1 or 0)
  end
  call('HSET', K.render, template, table.concat(counts, ' '))
end

local function rendering()
  local flat = call('HGETALL', K.render)
  return #flat > 0 and flat or nil
end
