-- A walk over the head of each request.
local http = require("suricata.http")

function init(args)
    return {}
end

function match(args)
    local sum = 0
    for character in http.get_tx():request_headers_raw():gmatch(".") do
        sum = sum + character:byte()
    end
    return sum == 1 and 1 or 0
end
