--[[ sessions: one lease per run and host that stands for "somebody looks after this host's frontier".
  Entry: "sid deadline state rejobs exec"; state w = its job waits in the queue, a = a worker has it, p = parked at the host's gate.
  w -begin-> a -park-> p -step-> a -close-> gone;  p -open-> gone (and a new one in state w);  any -deadline-> see heal. ]]
--@include task
local function read_session(host)
  local packed = call('HGET', K.sess, host)
  if not packed then return nil end
  local sid, deadline, state, rejobs, exec = string.match(packed, '^(%S+) (%d+) (%a) (%d+) (%S+)$')
  return { sid = sid, deadline = tonumber(deadline), state = state, rejobs = tonumber(rejobs), exec = exec }
end

local function write_session(host, s)
  call('HSET', K.sess, host, s.sid .. ' ' .. text(s.deadline) .. ' ' .. s.state .. ' ' .. s.rejobs .. ' ' .. s.exec)
end

local function holds(s, sid, exec) return s ~= nil and s.sid == sid and s.exec == exec end

-- Retries whose time has come wait in the frontier like everything else.
local function promote(host)
  local due = call('ZRANGEBYSCORE', delayed(host), '-inf', text(now), 'LIMIT', 0, 1000)
  for _, key in ipairs(due) do
    call('ZREM', delayed(host), key)
    to_frontier(key, read_task(key))
  end
end

-- OPEN(host) of the protocol: the caller owes a fetch job.
local function open_if_work(host)
  if M.status ~= 'running' or M.held == 1 then return false end
  promote(host)
  if call('ZCARD', frontier(host)) == 0 or call('HEXISTS', K.sess, host) == 1 then return false end
  local sid = text(sequence())
  write_session(host, { sid = sid, deadline = now + M.leaseMs, state = 'w', rejobs = 0, exec = '-' })
  owe('fetch', { host = host, sid = sid })
  return true
end

local function open_all()
  for _, host in ipairs(call('SMEMBERS', K.hosts)) do open_if_work(host) end
end

local function drop_parked(host)
  local s = read_session(host)
  if s and s.state == 'p' then call('HDEL', K.sess, host) end
end

-- A fetched URL's lease: "token deadline state rejobs exec body info"; state w = its job waits, a = a worker has it.
local function read_page(key)
  local packed = call('HGET', K.page, key)
  if not packed then return nil end
  local token, deadline, state, rejobs, exec, body, info = string.match(packed, '^(%d+) (%d+) (%a) (%d+) (%S+) (%S+) (.*)$')
  return { token = token, deadline = tonumber(deadline), state = state, rejobs = tonumber(rejobs), exec = exec, body = body, info = info }
end

local function write_page(key, p)
  call('HSET', K.page, key, p.token .. ' ' .. text(p.deadline) .. ' ' .. p.state .. ' ' .. p.rejobs .. ' ' .. p.exec .. ' ' .. p.body .. ' ' .. p.info)
end
