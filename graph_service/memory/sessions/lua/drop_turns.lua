-- Drop turns from lists; return their number. KEYS: the lists. ARGV: ids of the messages.
local gone = {}
for _, id in ipairs(ARGV) do gone[id] = true end
local dropped = 0
for _, list in ipairs(KEYS) do
  if redis.call('TYPE', list).ok == 'list' then
    for _, text in ipairs(redis.call('LRANGE', list, 0, -1)) do
      local fits, turn = pcall(cjson.decode, text)
      if fits and type(turn) == 'table' and type(turn.id) == 'string' and gone[turn.id] then
        dropped = dropped + redis.call('LREM', list, 0, text)
      end
    end
  end
end
return dropped
