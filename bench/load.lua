-- The requests of wrk to Morsel or Kannel: wrk -d SECONDS+GRACE -s load.lua URL -- morsel|kannel SECONDS RATE LOADER TOKEN…
-- RATE is the most requests a second; 0 means as many as are answered. LOADER is a digit: each has its own receivers.
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

local compose, seconds, rate, loader, stop_at, next_at
local tokens = {}
sent = 0

function init(args)
  compose, seconds, rate, loader = requests[args[1]], tonumber(args[2]), tonumber(args[3]), args[4]
  for index = 5, #args do table.insert(tokens, args[index]) end
end

-- wrk calls this function before each request. It returns how many milliseconds to wait.
function delay()
  if not stop_at then
    -- wrk has called request() once before, to look at a request: that one does not count.
    sent = 0
    next_at = now()
    stop_at = next_at + seconds
  end
  local at = now()
  if rate > 0 then
    -- The time of the next request at an even rate. Late requests are not caught up with.
    next_at = math.max(next_at + 1 / rate, at)
    at = next_at
  end
  if at >= stop_at then return NEVER_MS end
  return (at - now()) * 1000
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
