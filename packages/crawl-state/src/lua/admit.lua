--[[ admit: let links into a run.
  ARGV    1 JSON { links: list of { key, url, template, rank, endless }, parent?: { key, url } }: without a parent they are start pages, at depth 0;
            with one they are at the depth below it, read here and not by the caller
  RETURNS { fetch[], relink[], finalize?, full } owed, or { over }; full = the run takes no further URL
  KEEPS   an admitted URL is in exactly one of the five sets; total ≤ maxUrls; depth is the shortest way known        COST  O(links) ]]
--@include tail
local args = cjson.decode(ARGV[1])
if not alive then return over() end
if args.parent then
  local t = read_task(args.parent.key)
  if t then admit_links(args.links, t.depth + 1, parent_of(args.parent.url)) end
else
  admit_links(args.links, 0, nil)
end
out.full = room == 0
return tail()
