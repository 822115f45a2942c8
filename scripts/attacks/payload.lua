-- What is almost found again and again: steps up to the limit for each packet.
function init(args)
    return {payload = tostring(true)}
end

function match(args)
    return args["payload"]:find("a.-a.-a.-b") and 1 or 0
end
