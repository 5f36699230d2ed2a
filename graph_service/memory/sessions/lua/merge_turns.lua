-- Merge turns into the list of a session, ordered by time, each id once; keep the last turns_max.
-- KEYS: the list, the index of the user's sessions. ARGV: turns_max, ttl_ms, session id, turns as JSON.
-- Delete keys of another type, and list entries that are not turns. Return the number of turns pushed.
local list, index = KEYS[1], KEYS[2]
local turns_max, ttl_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local known, all, last = {}, {}, nil

local function before(one, other)
  if one.said_ms ~= other.said_ms then return one.said_ms < other.said_ms end
  if one.position ~= other.position then return one.position < other.position end
  return one.id < other.id
end

-- Add a turn to `all`; return whether it is new, and whether it is later than all others.
local function take(text)
  local fits, turn = pcall(cjson.decode, text)
  fits = fits and type(turn) == 'table' and type(turn.id) == 'string' and type(turn.said_ms) == 'number'
    and type(turn.position) == 'number' and type(turn.role) == 'string' and type(turn.text) == 'string'
  if not fits or known[turn.id] then return false, false end
  known[turn.id] = true
  local follows = last == nil or before(last, turn)
  if follows then last = turn end
  all[#all + 1] = {said_ms = turn.said_ms, position = turn.position, id = turn.id, text = text}
  return true, follows
end

for _, key in ipairs({list, index}) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and kind ~= (key == list and 'list' or 'zset') then redis.call('DEL', key) end
end
local tidy = true
for _, text in ipairs(redis.call('LRANGE', list, 0, -1)) do
  local new, follows = take(text)
  tidy = tidy and new and follows
end
local fresh = {}
for i = 4, #ARGV do
  local new, follows = take(ARGV[i])
  if new then
    fresh[#fresh + 1] = ARGV[i]
    tidy = tidy and follows
  end
end
if not tidy then
  table.sort(all, before)
  redis.call('DEL', list)
  fresh = {}
  for _, turn in ipairs(all) do fresh[#fresh + 1] = turn.text end
end
for _, text in ipairs(fresh) do redis.call('RPUSH', list, text) end
redis.call('LTRIM', list, -turns_max, -1)
redis.call('PEXPIRE', list, ttl_ms)
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', index, now_ms, ARGV[3])
redis.call('ZREMRANGEBYSCORE', index, '-inf', now_ms - ttl_ms)
redis.call('PEXPIRE', index, ttl_ms)
return #fresh
