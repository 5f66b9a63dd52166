--[[ pace: how many requests at a time a host's response times allow. Its usual time follows down quickly and up slowly, so a host that
  is slower for good is taken as it is after some minutes. Well above the usual (three times, and a quarter of a second more) the cap goes
  down by a third, at most once in downMs; back to normal it grows by one every upMs until it is no cap any more.
  Whole numbers only, so that the model in TypeScript counts the same. ]]
--@include line
local SLOW_FACTOR, SLOW_MORE = 3, 25000

local function pace(host, responses, mean, parallel, downMs, upMs)
  if responses == 0 then return end
  if host.usual == 0 then
    host.usual, host.recent = mean, mean
    return
  end
  local weight = math.min(responses, 8)
  host.recent = host.recent + math.floor((mean - host.recent) * weight / 16)
  host.usual = math.max(1, host.usual + math.floor((mean - host.usual) * weight / (mean < host.usual and 16 or 512)))
  local isSlow = host.recent > host.usual * SLOW_FACTOR and host.recent > host.usual + SLOW_MORE
  local since = host.now - host.adaptedAt
  if isSlow and since >= downMs then
    -- From what is really in use: a limit nobody has reached is no measure of what the host bears.
    local from = host.cap == 0 and math.min(parallel, math.max(1, slots_in_use(host))) * 100 or host.cap
    host.cap = math.max(100, math.floor(from * 2 / 3))
    host.adaptedAt = host.now
  elseif not isSlow and host.cap > 0 and since >= upMs then
    host.cap = host.cap + 100
    if host.cap >= parallel * 100 then host.cap = 0 end
    host.adaptedAt = host.now
  end
end
