-- What wrk sends in streams: wrk -t STREAMS -c STREAMS -s streams.lua URL -- STREAMS MESSAGES BEFORE each|shared TOKEN...
-- Each thread has one connection and is one stream: its next message leaves after the answer to the last, so the order of
-- a stream is what the client saw. Its texts are the letter of its account and 1, 2, 3... With `each` every message has a
-- receiver of its own; with `shared` a stream has one, the same as the streams of the other accounts beside it. Each stream
-- goes on from number BEFORE.
-- wrk ends when MESSAGES are answered. The result is one line of JSON after the word RESULT.
local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int process, int signal);")
local SIGINT = 2
local NEVER_MS = 3600 * 1000

local threads = {}
-- One for each stream, all in one place: what has its last answer. Lua shares nothing else between threads.
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

-- wrk calls it before each request, and so after each answer; how many milliseconds to wait.
function delay()
  if not is_started then
    -- wrk has asked for one request before, to see what it is like.
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
