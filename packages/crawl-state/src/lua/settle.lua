--[[ settle: pages whose rows are committed leave `fetched`; their links come in first.
  ARGV    1 JSON { pages: [{ key, token, kind, … }] } with kind
            ok { url, depth (the links were filtered for), links, refused: { reason: n }, print, sample?, skipped?: failure, render?: { template, as }, unrendered?, restless? } |
            render { template } (an empty shell: fetched again, by a browser) | gone (no body) | failed { failure }
  RETURNS { done[], fetch[], relink[], finalize? }: only what is in done may be taken as known, and its blob deleted (a body in Redis is); or { over }
  KEEPS   a page is processed with its links admitted; a page without the current token changes nothing        COST  O(links) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end

-- Did a page bring something new? One of an endless kind does by links to pages of another kind, or if most of a sample of its phrases
-- was on no page of such a kind before: each page of a calendar or of a grid of filters is put together anew, from the same parts.
local function is_new(r, t)
  if t.template == '-' then return false end
  local isNewText = call('SADD', K.prints, r.print) == 1
  local _, _, endless = read_template(t.template)
  if not endless then return isNewText end
  local sample, unseen = r.sample or {}, 0
  for _, phrase in ipairs(sample) do unseen = unseen + call('SADD', K.prints, '~' .. phrase) end
  return found > 0 or (isNewText and unseen * 2 > #sample)
end

local function drop_body(p)
  local inline = string.match(p.body, '^redis:(%d+)$')
  if inline then call('UNLINK', PREFIX .. 'body:' .. inline) end
end

local deepest = tonumber(call('HGET', K.meta, 'depth'))
for _, r in ipairs(args.pages) do
  local p = read_page(r.key)
  if p and p.token == r.token then
    local t = read_task(r.key)
    if r.kind == 'ok' then
      found = 0
      admit_links(r.links, t.depth + 1, parent_of(r.url))
      for reason, n in pairs(r.refused) do call('HINCRBY', K.refused, reason, n) end
      call('HDEL', K.page, r.key)
      -- Read for its links only, since it asks not to be kept: it ends as skipped.
      if r.skipped then finish_url(r.key, K.fetched, K.skipped, r.skipped) else call('SMOVE', K.fetched, K.processed, r.key) end
      drop_body(p)
      if r.render then remember_render(r.render.template, r.render.as) end
      if r.unrendered then call('HINCRBY', K.meta, 'unrendered', 1) end
      if r.restless then call('HINCRBY', K.meta, 'restless', 1) end
      if is_new(r, t) then grow_template(t.template) end
      if t.depth < r.depth then to_relink(r.key, t.depth) end
      deepest = math.max(deepest, t.depth)
      owe('done', r.key)
    elseif r.kind == 'render' then
      call('HDEL', K.page, r.key)
      drop_body(p)
      remember_render(r.template, 'shell')
      t.renders = true
      write_task(r.key, t)
      call('SMOVE', K.fetched, K.queued, r.key)
      open_if_work(to_frontier(r.key, t))
      owe('done', r.key)
    elseif r.kind == 'gone' then
      call('HDEL', K.page, r.key)
      if lose(r.key, t) then
        call('SMOVE', K.fetched, K.queued, r.key)
        open_if_work(to_frontier(r.key, t))
      else
        finish_url(r.key, K.fetched, K.failed, failure_of('LOST', LOST, t.attempts + 1))
      end
    else
      call('HDEL', K.page, r.key)
      finish_url(r.key, K.fetched, K.failed, r.failure)
    end
  end
end
call('HSET', K.meta, 'depth', deepest, 'updatedAt', text(now))

-- The speed is that of the last five to ten seconds.
local rate = call('HMGET', K.meta, 'rateAt', 'rateWas')
if not rate[1] or now - tonumber(rate[1]) >= 5000 then
  local processed = call('SCARD', K.processed)
  call('HSET', K.meta, 'rateBefore', rate[1] or call('HGET', K.meta, 'startedAt'), 'rateBeforeWas', rate[2] or 0, 'rateAt', text(now), 'rateWas', processed)
end
return tail()
