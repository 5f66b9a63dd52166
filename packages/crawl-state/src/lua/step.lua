--[[ step: one flush of a fetch session: settle what is done, renew the session, claim again.
  ARGV    1 JSON { host, sid, exec, want, results: [{ key, token, kind, … }] } with kind
            ok { body, info } | retry { afterMs, failure } | fail { failure } | skip { failure } | redirect { target, failure } |
            moved { url } (another spelling of the same page) | unused (never started; nothing is counted) | later { afterMs } (the same, not before) |
            rank { rank } (the same, in another place of the frontier) | render (the same, in the lane of workers with a browser)
  RETURNS { claims[], discovering, rendering? (what is known of rendering, by template), why?, process[], fetch[], relink[], finalize? }: why no claims: dry, held, paused, lost; or { over }
  KEEPS   processed + in flight + fetched ≤ maxPages; a result without the current token changes nothing        COST  O(results + claims) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
local host = args.host

local function fail(r, t, failure)
  finish_url(r.key, K.queued, K.failed, failure)
end

-- Follows the redirects known so far from `from`; true if they lead back to `to`.
local function leads_back(from, to)
  local at = from
  for _ = 1, 20 do
    if at == to then return true end
    at = call('HGET', K.alias, at)
    if not at then return false end
  end
  return true
end

local MAX_HOPS = 10
local function loop_failure(t) return failure_of('REDIRECT_LOOP', 'The redirects lead in a circle or through more than 10 hops.', t.attempts + 1) end

local settle_as = {}
-- A late result of a session that is gone must not wait for the next heal: somebody looks after what goes back.
local function back(r, t) open_if_work(to_frontier(r.key, t)) end
function settle_as.unused(r, t) back(r, t) end
function settle_as.ok(r, t)
  call('SREM', K.queued, r.key)
  call('SADD', K.fetched, r.key)
  write_page(r.key, { token = r.token, deadline = now + M.leaseMs, state = 'w', rejobs = 0, exec = '-', body = r.body, info = r.info })
  owe('process', { key = r.key, token = r.token, body = r.body })
end
function settle_as.retry(r, t)
  t.attempts = t.attempts + 1
  write_task(r.key, t)
  if t.attempts >= M.maxRetries then return fail(r, t, r.failure) end
  call('ZADD', delayed(lane_of(r.key, t)), text(now + r.afterMs), r.key)
end
function settle_as.later(r, t) call('ZADD', delayed(lane_of(r.key, t)), text(now + r.afterMs), r.key) end
function settle_as.render(r, t)
  t.renders = true
  write_task(r.key, t)
  back(r, t)
end
function settle_as.rank(r, t)
  t.rank = r.rank
  write_task(r.key, t)
  back(r, t)
end
function settle_as.fail(r, t) fail(r, t, r.failure) end
function settle_as.skip(r, t) finish_url(r.key, K.queued, K.skipped, r.failure) end
function settle_as.moved(r, t)
  if call('HINCRBY', K.hops, r.key, 1) > MAX_HOPS or r.url == t.url then return fail(r, t, loop_failure(t)) end
  t.url = r.url
  write_task(r.key, t)
  back(r, t)
end
function settle_as.redirect(r, t)
  local target = r.target[1]
  local hops = tonumber(call('HGET', K.hops, r.key) or 0) + 1
  if hops > MAX_HOPS or leads_back(target, r.key) then return fail(r, t, loop_failure(t)) end
  finish_url(r.key, K.queued, K.skipped, r.failure)
  call('HSET', K.alias, r.key, target)
  if call('HEXISTS', K.task, target) == 0 then call('HSET', K.hops, target, hops) end
  admit_links({ r.target }, t.depth, t.parent ~= '-' and function() return t.parent end or nil)
end

for _, r in ipairs(args.results) do
  local held = call('HGET', K.inflight, r.key)
  if held and string.match(held, '^%d+') == r.token then
    call('HDEL', K.inflight, r.key)
    settle_as[r.kind](r, read_task(r.key))
  end
end

out.discovering = M.discovery ~= 0
out.rendering = rendering()
local s = read_session(host)
if not holds(s, args.sid, args.exec) then
  out.why = 'lost'
else
  write_session(host, { sid = args.sid, deadline = now + M.leaseMs, state = 'a', rejobs = 0, exec = args.exec })
  if M.status ~= 'running' then
    out.why = M.status
  elseif args.want > 0 then
    promote(host)
    local waiting = call('ZCARD', frontier(host))
    local space = call('HLEN', K.page) >= M.high and 0 or math.max(0, budget())
    if waiting > 0 and space == 0 then set('held', 1) end
    local n = math.min(args.want, space)
    if waiting > 0 and n > 0 then
      local popped = call('ZPOPMIN', frontier(host), n)
      for i = 1, #popped, 2 do
        local key, token = popped[i], text(sequence())
        local t = read_task(key)
        call('HSET', K.inflight, key, token .. ' ' .. args.exec .. ' ' .. host)
        owe('claims', { key = key, token = token, url = t.url, depth = t.depth, attempts = t.attempts, rank = t.rank })
      end
    else
      out.why = waiting > 0 and 'held' or 'dry'
    end
  end
end
return tail()
