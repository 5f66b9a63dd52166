--[[ pause: no more claims; all else goes on, and the run does not end while paused.
  RETURNS { changed, status }        COST  O(1) ]]
--@include run
out.status = exists and M.status or 'no-run'
out.changed = M.status == 'running'
if out.changed then set('status', 'paused') end
return reply()
