--[[ resume: claims go on; every host with work gets a session.
  RETURNS { changed, status, fetch[], finalize? }        COST  O(hosts) ]]
--@include tail
out.status = exists and M.status or 'no-run'
out.changed = M.status == 'paused'
if not out.changed then return reply() end
set('status', 'running')
set('held', 0)
for _, host in ipairs(call('SMEMBERS', K.hosts)) do drop_parked(host) end
open_all()
return tail()
