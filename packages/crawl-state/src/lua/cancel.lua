--[[ cancel: a forced end through the same finalization: what is not done is skipped.
  RETURNS { changed, status, finalize? }        COST  O(waiting URLs) ]]
--@include tail
out.status = exists and M.status or 'no-run'
out.changed = alive
if not alive then return reply() end
call('SUNIONSTORE', K.skipped, K.skipped, K.queued, K.fetched)
each_host('UNLINK')
call('UNLINK', K.queued, K.fetched, K.inflight, K.page, K.relink, K.deferred)
flip('cancelled')
return reply()
