--[[ unrender: nobody renders any more: what waits for a browser goes on without one, or fails where the run wants nothing else. In parts.
  ARGV    1 JSON { most: URLs at most in this call, failure: { error, … } }: its attempts become each URL's own
  RETURNS { unrendered, failed, more, fetch[], finalize? } or { over }        COST  O(hosts + most) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
out.unrendered, out.failed, out.more = 0, 0, false

local function release(lane, key)
  local t = read_task(key)
  if M.rendersAll == 1 then
    args.failure.error.attempts = t.attempts
    args.failure.at = now
    finish_url(key, K.queued, K.failed, cjson.encode(args.failure))
    out.failed = out.failed + 1
  else
    t.renders = false
    write_task(key, t)
    open_if_work(to_frontier(key, t))
    out.unrendered = out.unrendered + 1
  end
end

for _, lane in ipairs(call('SMEMBERS', K.hosts)) do
  if string.sub(lane, -#RENDER) == RENDER then
    for _, waiting in ipairs({ frontier(lane), delayed(lane) }) do
      local keys = call('ZRANGE', waiting, 0, args.most - out.unrendered - out.failed - 1)
      if args.most > out.unrendered + out.failed and #keys > 0 then
        call('ZREM', waiting, unpack(keys))
        for _, key in ipairs(keys) do release(lane, key) end
      end
      if call('ZCARD', waiting) > 0 then out.more = true end
    end
    -- Its job waits for a worker that is not there; a session that one has goes on.
    local s = read_session(lane)
    if s and s.state ~= 'a' and call('ZCARD', frontier(lane)) + call('ZCARD', delayed(lane)) == 0 then call('HDEL', K.sess, lane) end
  end
end
return tail()
