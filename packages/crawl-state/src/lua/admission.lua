--[[ admission: a URL enters a run once, by the shortest way known.
  A link is { key, packed request URL, template, rank, endless }. Every new URL counts for the template of its path; past the
  template's quota it is admitted but deferred: queued, outside the frontier, until pages of that template have brought
  something new (settle) or the run has nothing else left (tail). A template of a kind that sites make without end has a smaller quota;
  the template `-` is none and has none: of what a site itself lists there is an end. ]]
--@include sessions
local function to_relink(key, depth)
  local token = text(sequence())
  call('HSET', K.relink, key, token .. ' ' .. text(now + M.leaseMs))
  owe('relink', { key = key, token = token, depth = depth })
end

-- Whether its links were let in: it was processed, or read for its links only.
local function has_links(key)
  if call('SISMEMBER', K.processed, key) == 1 then return true end
  local failure = call('SISMEMBER', K.skipped, key) == 1 and call('HGET', K.errors, key)
  return failure and string.find(failure, '"ROBOTS_NOINDEX"', 1, true) ~= nil
end

-- "admitted quota", with an e behind for one of an endless kind. `endless` decides for one that is not known yet.
local function read_template(template, endless)
  local packed = call('HGET', K.templates, template)
  if not packed then return 0, endless and M.endlessQuota or M.templateQuota, endless end
  local admitted, quota, kind = string.match(packed, '^(%d+) (%d+)( ?e?)$')
  return tonumber(admitted), tonumber(quota), kind ~= ''
end

local function write_template(template, admitted, quota, endless)
  call('HSET', K.templates, template, admitted .. ' ' .. quota .. (endless and ' e' or ''))
end

local function to_beyond(key)
  -- Exact while few; past that a sketch, so that a site of millions costs kilobytes.
  if call('SCARD', K.beyond) < 20000 then call('SADD', K.beyond, key) end
  call('PFADD', K.beyondMany, key)
end

local found = 0 -- new URLs of this call that are of no endless kind
local room = nil -- how many URLs this call may still admit
local function take_room()
  if not room then
    local processed = call('SCARD', K.processed)
    local total = call('SCARD', K.queued) + call('SCARD', K.fetched) + processed + call('SCARD', K.failed) + call('SCARD', K.skipped)
    room = processed >= M.maxPages and 0 or math.max(0, M.maxUrls - total)
  end
  if room == 0 then return false end
  room = room - 1
  return true
end

-- `parent` is nil for start pages, else a function that gives the index of the page that links here, made on first need.
local function admit_links(links, depth, parent)
  if #links == 0 then return end
  local work, opened, keys, known = {}, {}, {}, {}
  for i, link in ipairs(links) do
    work[i] = { link[1], depth, link }
    keys[i] = link[1]
  end
  -- All tasks in one command; what this call writes is read again.
  local packed = call('HMGET', K.task, unpack(keys))
  for i, key in ipairs(keys) do known[key] = packed[i] end
  local i = 1
  while i <= #work do
    local key, d, link = work[i][1], work[i][2], work[i][3]
    i = i + 1
    if d <= M.maxDepth then
      local t
      if known[key] ~= nil then t = parse_task(known[key]) else t = read_task(key) end
      known[key] = nil
      if not t then
        if link and take_room() then
          t = { depth = d, attempts = 0, lost = 0, rank = link[4], template = link[3], parent = parent and parent() or '-', url = link[2] }
          write_task(key, t)
          call('SADD', K.queued, key)
          local admitted, quota, endless = read_template(t.template, link[5] == '1')
          if not endless then found = found + 1 end
          if t.template == '-' then
            opened[to_frontier(key, t)] = true
          elseif admitted >= quota then
            call('ZADD', K.deferred, 0, t.template .. ' ' .. key)
          else
            write_template(t.template, admitted + 1, quota, endless)
            opened[to_frontier(key, t)] = true
          end
        else
          to_beyond(key)
        end
      elseif d < t.depth then
        t.depth = d
        write_task(key, t)
        call('ZADD', frontier(lane_of(key, t)), 'XX', score(t), key)
        local target = call('HGET', K.alias, key)
        if target then work[#work + 1] = { target, d, nil } end
        if has_links(key) then to_relink(key, d) end
      end
      -- Found by a link, and deferred, before its site was seen to list it.
      if t and link and link[3] == '-' and t.template ~= '-' and call('ZREM', K.deferred, t.template .. ' ' .. key) == 1 then
        t.template = '-'
        write_task(key, t)
        opened[to_frontier(key, t)] = true
      end
    end
  end
  for host in pairs(opened) do open_if_work(host) end
end

-- The parent's URL is kept once for all its links.
local function parent_of(url)
  local index = nil
  return function()
    if not index then
      index = text(call('HLEN', K.parents))
      call('HSET', K.parents, index, url)
    end
    return index
  end
end

-- A page of this template brought something new: two more of its kind may come.
local function grow_template(template)
  local admitted, quota, endless = read_template(template)
  quota = quota + 2
  local from = template .. ' '
  local released = call('ZRANGEBYLEX', K.deferred, '[' .. from, '(' .. template .. '!', 'LIMIT', 0, math.max(0, quota - admitted))
  for _, member in ipairs(released) do
    local key = string.sub(member, #from + 1)
    call('ZREM', K.deferred, member)
    open_if_work(to_frontier(key, read_task(key)))
    admitted = admitted + 1
  end
  write_template(template, admitted, quota, endless)
end
