--[[ create: bring a run into being.
  ARGV    1 JSON { meta: { name: value }, settings: string }
  RETURNS { created, discover? }: the creator owes a discover job; a run that is there already is left as it is
  KEEPS   a run is created once        COST  O(1)        CLOCK  TIME ]]
--@include run
local args = cjson.decode(ARGV[1])
if exists then
  out.created = false
  return reply()
end
for name, value in pairs(args.meta) do call('HSET', K.meta, name, text(value)) end
call('HSET', K.meta, 'status', 'running', 'seq', 0, 'held', 0, 'startedAt', text(now), 'updatedAt', text(now), 'depth', 0,
  'discovery', text(now + args.meta.leaseMs), 'finalLease', 0)
call('SET', K.settings, args.settings)
out.created = true
out.discover = true
return reply()
