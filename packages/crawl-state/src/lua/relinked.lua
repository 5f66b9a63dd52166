--[[ relinked: all links of a page that was found by a shorter way have been read back; they come in at its depth now.
  ARGV    1 JSON { key, token, depth (as of the job), url, links, last: boolean }: not last = one part of a long list
  RETURNS { fetch[], relink[], finalize? } or { over }        COST  O(links) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
local held = call('HGET', K.relink, args.key)
if held and string.match(held, '^%d+') == args.token then
  local t = read_task(args.key)
  admit_links(args.links, t.depth + 1, parent_of(args.url))
  if args.last then
    call('HDEL', K.relink, args.key)
    if t.depth < args.depth then to_relink(args.key, t.depth) end
  else
    call('HSET', K.relink, args.key, args.token .. ' ' .. text(now + M.leaseMs))
  end
end
return tail()
