--[[ finish: the final numbers are kept elsewhere; the run is over and its keys may go.
  ARGV    1 JSON { keepMs }
  RETURNS { changed, status }        COST  O(hosts) ]]
--@include run
local args = cjson.decode(ARGV[1])
out.changed = M.status == 'finalizing'
if out.changed then set('status', M.final) end
out.status = exists and M.status or 'no-run'
if exists and not alive then
  for _, key in ipairs(KEYS) do call('PEXPIRE', key, args.keepMs) end
end
return reply()
