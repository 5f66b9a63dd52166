--[[ begin-pages: a process job takes its pages. The first job to ask has them; a second job for the same page gets nothing.
  ARGV    1 JSON { exec, pages: [{ key, token }] }; asked again by the same execution it renews
  RETURNS { pages: [{ key, token, depth, attempts, url, parent, body, info }], settings, rendering? (as of step) } or { over }        COST  O(pages) ]]
--@include sessions
local args = cjson.decode(ARGV[1])
if not alive then
  out.over = exists and M.status or 'no-run'
  return reply()
end
for _, asked in ipairs(args.pages) do
  local p = read_page(asked.key)
  if p and p.token == asked.token and (p.state == 'w' or p.exec == args.exec) then
    p.state, p.exec, p.deadline, p.rejobs = 'a', args.exec, now + M.leaseMs, 0
    write_page(asked.key, p)
    local t = read_task(asked.key)
    owe('pages', { key = asked.key, token = p.token, depth = t.depth, attempts = t.attempts, url = t.url, body = p.body, info = p.info,
      parent = t.parent ~= '-' and call('HGET', K.parents, t.parent) or nil })
  end
end
out.settings = call('GET', K.settings)
out.rendering = rendering()
return reply()
