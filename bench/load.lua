-- The requests of wrk to Morsel or Kannel: wrk -d SECONDS+GRACE -s load.lua URL -- morsel|kannel SECONDS LOADER TOKEN…
-- As many requests as are answered; open_load.c has those of a fixed rate. LOADER is a digit: each has its own receivers.
-- The tokens take turns.
-- After SECONDS wrk sends no request but runs on, so that every request is answered and the counts are exact.
-- The result is one line of JSON after the word RESULT.
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanoseconds; } Instant; int clock_gettime(int clock, Instant *at);")
local instant = ffi.new("Instant")
local MONOTONIC = 1
local NEVER_MS = 3600 * 1000

local function now()
  ffi.C.clock_gettime(MONOTONIC, instant)
  return tonumber(instant.seconds) + tonumber(instant.nanoseconds) / 1e9
end

local requests = {
  morsel = function(token, number)
    local body = '{"auth":"' .. token .. '","sender":"+41791112233","receiver":"' .. number .. '","text":"Hello your code is 123456","dcs":"GSM"}'
    return wrk.format("POST", "/sms/send", { ["Host"] = "127.0.0.1", ["Content-Type"] = "application/json" }, body)
  end,
  kannel = function(token, number)
    local to = string.gsub(number, "+", "%%2B")
    return wrk.format("GET", "/cgi-bin/sendsms?username=t&password=" .. token .. "&from=%2B41791112233&to=" .. to .. "&text=Hello+your+code+is+123456&dlr-mask=31&dlr-url=")
  end,
}

local compose, seconds, loader, stop_at
local tokens = {}
sent = 0

function init(args)
  compose, seconds, loader = requests[args[1]], tonumber(args[2]), args[3]
  for index = 4, #args do table.insert(tokens, args[index]) end
end

-- wrk calls this function before each request. It returns how many milliseconds to wait.
function delay()
  if not stop_at then
    -- wrk has called request() once before, to look at a request: that one does not count.
    sent = 0
    stop_at = now() + seconds
  end
  return now() < stop_at and 0 or NEVER_MS
end

function request()
  sent = sent + 1
  return compose(tokens[sent % #tokens + 1], string.format("+417%s%07d", loader, sent))
end

local threads = {}
function setup(thread) table.insert(threads, thread) end

function done(summary, latency)
  local total = 0
  for _, thread in ipairs(threads) do total = total + thread:get("sent") end
  local e = summary.errors
  io.write(string.format('RESULT {"sent":%d,"answered":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    total, summary.requests - e.status, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
