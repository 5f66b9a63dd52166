--[[ progress: the numbers of one moment.
  RETURNS { status, discovering, queued, …, refused: [reason, n, …] } or { over: 'no-run' }        COST  O(1) ]]
--@include run
if not exists then
  out.over = 'no-run'
  return reply()
end
local meta = call('HMGET', K.meta, 'depth', 'startedAt', 'updatedAt', 'rateBefore', 'rateBeforeWas', 'unrendered', 'restless')
out.status = M.status
out.final = M.final
out.maxPages = M.maxPages
out.discovering = M.discovery ~= 0
out.queued = call('SCARD', K.queued)
out.fetched = call('SCARD', K.fetched)
out.processed = call('SCARD', K.processed)
out.failed = call('SCARD', K.failed)
out.skipped = call('SCARD', K.skipped)
local few = call('SCARD', K.beyond)
out.beyond = call('SCARD', K.dropped) + (few < 20000 and few or math.max(few, call('PFCOUNT', K.beyondMany)))
out.depth = tonumber(meta[1])
out.startedAt = tonumber(meta[2])
out.updatedAt = tonumber(meta[3])
out.rateSince = tonumber(meta[4] or meta[2])
out.rateWas = tonumber(meta[5] or 0)
out.unrendered = tonumber(meta[6] or 0)
out.restless = tonumber(meta[7] or 0)
out.refused = call('HGETALL', K.refused)
return reply()
