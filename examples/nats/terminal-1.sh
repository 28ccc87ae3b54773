nats-server -a 127.0.0.1 -p 4222
