-- Bytes of each tenant; updated by triggers, so that every process that writes updates them.
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS shares (tenant TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
DELETE FROM shares;
INSERT INTO shares SELECT tenant, sum(length(CAST(body AS BLOB))) FROM episodes GROUP BY tenant;
CREATE TRIGGER IF NOT EXISTS share_added AFTER INSERT ON episodes BEGIN
  INSERT INTO shares VALUES (new.tenant, length(CAST(new.body AS BLOB)))
    ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS share_changed AFTER UPDATE OF body ON episodes BEGIN
  UPDATE shares SET bytes = bytes + length(CAST(new.body AS BLOB)) - length(CAST(old.body AS BLOB))
    WHERE tenant = new.tenant;
END;
CREATE TRIGGER IF NOT EXISTS share_removed AFTER DELETE ON episodes BEGIN
  UPDATE shares SET bytes = bytes - length(CAST(old.body AS BLOB)) WHERE tenant = old.tenant;
  DELETE FROM shares WHERE tenant = old.tenant AND bytes <= 0;
END;
COMMIT;
