--[[ give-up: a host has been failing for longer than the run has patience: what waits there fails, in parts.
  ARGV    1 JSON { host, sid, exec, most: URLs at most in this call, failure: { error, … } }: its attempts become each URL's own
  RETURNS { gaveUp, more, fetch[], finalize? }, { lost } if another has the session, or { over }        COST  O(most) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
out.gaveUp, out.more = 0, false
if not holds(read_session(args.host), args.sid, args.exec) then
  out.lost = true
  return tail()
end
for _, waiting in ipairs({ frontier(args.host), delayed(args.host) }) do
  local keys = call('ZRANGE', waiting, 0, args.most - out.gaveUp - 1)
  if out.gaveUp < args.most and #keys > 0 then
    for _, key in ipairs(keys) do
      args.failure.error.attempts = read_task(key).attempts
      args.failure.at = now
      finish_url(key, K.queued, K.failed, cjson.encode(args.failure))
    end
    call('ZREM', waiting, unpack(keys))
    out.gaveUp = out.gaveUp + #keys
  end
  if call('ZCARD', waiting) > 0 then out.more = true end
end
return tail()
