-- The requests of wrk in streams: wrk -t STREAMS -c STREAMS -s streams.lua URL -- STREAMS MESSAGES BEFORE each|shared TOKEN...
-- Each thread has one connection and is one stream. A stream sends each message after the answer to its last message, so
-- the client knows the order of a stream. The texts are the letter of the stream's account and 1, 2, 3..., and each stream
-- continues after the number BEFORE. With `each` every message has its own receiver. With `shared` neighbouring streams,
-- one of each account, share a receiver.
-- wrk ends when MESSAGES are answered. The result is one line of JSON after the word RESULT.
local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int process, int signal);")
local SIGINT = 2
local NEVER_MS = 3600 * 1000

local threads = {}
-- For each stream: 1 after its last answer. Lua shares nothing else between threads.
ended = ffi.new("int[?]", 256)

function setup(thread)
  table.insert(threads, thread)
  thread:set("number", #threads)
  thread:set("ended_at", tonumber(ffi.cast("intptr_t", ended)))
end

local stream_count, own_messages, before, has_own_receivers, token, letter, pair, all_ended
sent = 0
is_started = false

function init(args)
  local accounts = #args - 4
  stream_count = tonumber(args[1])
  own_messages = math.floor(tonumber(args[2]) / stream_count)
  if number <= tonumber(args[2]) % stream_count then own_messages = own_messages + 1 end
  before = tonumber(args[3])
  has_own_receivers = args[4] == "each"
  local account = (number - 1) % accounts
  token, letter = args[5 + account], string.char(string.byte("a") + account)
  pair = math.floor((number - 1) / accounts)
  all_ended = ffi.cast("int *", ended_at)
end

local function end_all()
  all_ended[number - 1] = 1
  for stream = 0, stream_count - 1 do
    if all_ended[stream] == 0 then return end
  end
  -- wrk sleeps until its time is over, or until it is interrupted.
  ffi.C.kill(ffi.C.getpid(), SIGINT)
end

-- Returns how many milliseconds to wait. wrk calls it before each request, and so after each answer.
function delay()
  if not is_started then
    -- wrk has made one request before, as a sample, which it does not send.
    is_started = true
    sent = 0
  end
  if sent < own_messages then return 0 end
  end_all()
  return NEVER_MS
end

function request()
  sent = sent + 1
  local receiver = has_own_receivers and string.format("+4179%02d%05d", number, sent) or string.format("+4179%07d", pair)
  local body = string.format('{"auth":"%s","sender":"+41791112233","receiver":"%s","text":"%s %d","dcs":"GSM"}', token, receiver, letter, before + sent)
  return wrk.format("POST", "/sms/send", { ["Host"] = "127.0.0.1", ["Content-Type"] = "application/json" }, body)
end

function done(summary, latency)
  local total = 0
  for _, thread in ipairs(threads) do total = total + thread:get("sent") end
  local e = summary.errors
  io.write(string.format('RESULT {"sent":%d,"answered":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    total, summary.requests - e.status, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
