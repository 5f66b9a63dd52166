--[[ tail: the end of every function that changes a run: drop what the page limit leaves over, lift a hold, find the end.
  KEEPS   `running` becomes `finalizing` once, in the step that finds queued, fetched and relink empty and discovery done ]]
--@include admission
local function each_host(command)
  for _, host in ipairs(call('SMEMBERS', K.hosts)) do call(command, frontier(host), delayed(host)) end
end

local function flip(final)
  call('HSET', K.meta, 'status', 'finalizing', 'final', final, 'finalLease', text(now + M.leaseMs), 'held', 0, 'discovery', 0)
  call('UNLINK', K.sess)
  M.status = 'finalizing'
  alive = false
  out.finalize = true
end

local function budget() return M.maxPages - call('SCARD', K.processed) - call('HLEN', K.inflight) - call('HLEN', K.page) end

local function tail()
  if not alive then return reply() end
  local queued = call('SCARD', K.queued)
  -- With processed = maxPages nothing is in flight or fetched, since those hold budget too: all of queued is waiting.
  if queued > 0 and call('SCARD', K.processed) >= M.maxPages then
    call('RENAME', K.queued, K.dropped)
    each_host('UNLINK')
    call('UNLINK', K.deferred)
    queued = 0
  end
  if M.held == 1 and M.status == 'running' and call('HLEN', K.page) <= M.low and budget() > 0 then
    set('held', 0)
    open_all()
  end
  if M.status == 'running' and M.discovery == 0 and call('SCARD', K.fetched) == 0 and call('HLEN', K.relink) == 0 then
    local deferred = call('ZCARD', K.deferred)
    if queued == deferred then
      if deferred > 0 then
        call('HINCRBY', K.refused, 'template-quota', deferred)
        call('UNLINK', K.queued, K.deferred)
      end
      flip('completed')
    end
  end
  return reply()
end

local function over()
  out.over = exists and M.status or 'no-run'
  return reply()
end
